/** APPR-15: what the letters beside `a` mean: as it does, with an end. */
export const lifeKeys = 't this turn · m 15 min · h 1 h · x 5×'

/** APPR-20: what letters do to a card for several questions. */
export const batchKeys = 'y approve all · r one by one · n deny all'
