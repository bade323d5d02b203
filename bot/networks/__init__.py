"""What each network is beside a place for posts: whom an account hears of there, and who follows whom. Each has rules of its own."""
