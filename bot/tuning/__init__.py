"""Making the engine fit one bot's feeds: what other levels and thresholds would have done, and whose table is in use.

    the store's entries (`recorded`) or recorded snapshots (`replayed`)
      -> each judged again by the very engine at every setting of a grid (`grid`)
      -> what each would have posted, and the stories in which it differs from the setting in use (`outcomes`)
         one setting over the record may be tried in a process of its own (`apart`)
    labels of the owner (`labelled`) -> right and wrong at each setting, and the examples of a refit (`core.refit`)
    a refitted table, applied (`in_use`) -> the bot's judge

Nothing here writes but `in_use`'s table, and that only when it is told to.
"""
