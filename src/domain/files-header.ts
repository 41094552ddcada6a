/** Above the list of files in a message that came with some, for the model. */
export const filesHeader = '[Files that came with this message]'
