"""The main job from files to answers, on real stores."""
