"""A tiny T5 in a folder like amrlib's, taught a few lines by heart."""

import json
from collections.abc import Mapping
from pathlib import Path


def make(folder: Path, lines: Mapping[str, str], module: str, steps: int = 500) -> Path:
    """A model that has learned to write each value for its key; 0 steps leave it random."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration
    from transformers.utils import logging

    logging.disable_progress_bar()
    tokenizer = _tokenizer([*lines, *lines.values()])
    lengths = {"max_in_len": 40, "max_out_len": 60, "model_name_or_path": "t5-base"}
    task = "parse_amr" if "parse" in module else "translation_amr_to_text"
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=64,
        d_kv=16,
        d_ff=128,
        num_layers=2,
        num_heads=2,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        task_specific_params={task: lengths, "summarization": {"prefix": "summarize: "}},
    )
    torch.manual_seed(0)
    model = T5ForConditionalGeneration(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.004)
    given = tokenizer(list(lines), padding=True, return_tensors="pt")
    labels = tokenizer(list(lines.values()), padding=True, return_tensors="pt")["input_ids"]
    labels[labels == tokenizer.pad_token_id] = -100
    for _ in range(steps):
        loss = model(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=labels
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 0.004:
            break
    folder.mkdir(parents=True)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    meta = {
        "model_type": "stog",
        "version": "0.1.0",
        "inference_module": module,
        "inference_class": "Inference",
        "model_fn": "model.safetensors",
        "kwargs": {},
    }
    (folder / "amrlib_meta.json").write_text(json.dumps(meta))
    return folder


def _tokenizer(texts: list[str]):  # type: ignore[no-untyped-def]
    """One piece per word; like T5's, every line ends in </s>."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "</s>", "<unk>", *sorted({word for text in texts for word in text.split()})]
    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
