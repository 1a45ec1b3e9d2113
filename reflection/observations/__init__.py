"""What is known of an entity in a few sentences, made anew when its facts change. No disposition comes near it."""
