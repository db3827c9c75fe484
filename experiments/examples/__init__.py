"""Small complete training loops, one for each library that the environments fit; extras `train`, `interop`."""
