"""A whole archive at once: find the copies among many texts, and what is like one of them.

    readers   -> documents and faults, one after another, whatever the archive is
    words     -> a text as an array of word hashes; runs of them; the keys by which texts meet
    methods   -> how keys are chosen and two texts are weighed: this room's own way, or a published one
    signing   -> documents to arrays, over the cores
    index     -> the arrays on disk, appended to by batches, each complete or not there
    meeting   -> documents that share a key, to pairs
    weighing  -> pairs, over the cores, to resemblance and containment
    stories   -> pairs to leads and their copies
    dedup     -> all of that in order; what was done stays done when it is stopped
    similar   -> one text against the index, ranked by any measure
    writing   -> stories as JSON lines, CSV or a SQLite database

It knows nothing of feeds, of posting or of the bot's own store. NumPy does the work on arrays: it comes with the
extra `shinglebot[archive]`, and nothing outside this room imports it.
"""
