/** Heading that precedes the list of attached files in a message to the model. */
export const filesHeader = '[Files that came with this message]'
