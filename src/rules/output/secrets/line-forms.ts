/** The end of a line, also escaped in a text of JSON. */
export const lineEnd = String.raw`(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)`

/** What tools write before a line: its number, or the sign of a diff. */
export const lineMark = String.raw`(?:[ ]{0,7}[0-9]{1,7}\t|[-+>#])?`

/** Blanks and ends of lines, with what tools write before these. */
export const lineGap = String.raw`(?:\s|\\{1,4}n|(?<=\n)[-+>#]|(?<=\n *)[0-9]{1,7}(?=[\t:])){0,64}`
