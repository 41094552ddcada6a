/** Keys for *Always* with an end (APPR-15). */
export const lifeKeys = 't this turn · m 15 min · h 1 h · x 5×'

/** Keys of a card for several approvals (APPR-20). */
export const batchKeys = 'y approve all · r one by one · n deny all'
