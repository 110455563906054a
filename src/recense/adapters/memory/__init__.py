"""The reference store: plain values in memory, the model that other stores are compared with."""
