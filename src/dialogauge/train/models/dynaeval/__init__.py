"""DynaEval and S-DiCoh: a dialogue above the same dialogue made worse."""
