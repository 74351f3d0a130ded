"""What every package may use: validation, messages, files, the environment, settings, kernels."""
