"""What a store promises is asked of stores whose tables are there already."""

from tests.prepared_stores import model_store, stores_are_copied

__all__ = ["model_store", "stores_are_copied"]
