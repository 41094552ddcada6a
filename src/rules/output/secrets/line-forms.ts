/** A line end, possibly escaped in JSON. */
export const lineEnd = String.raw`(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)`

/** Prefixes that tools print before a line: a line number or a diff sign. */
export const lineMark = String.raw`(?:[ ]{0,7}[0-9]{1,7}\t|[-+>#])?`

/** Blanks and line ends, with such prefixes. */
export const lineGap = String.raw`(?:\s|\\{1,4}n|(?<=\n)[-+>#]|(?<=\n *)[0-9]{1,7}(?=[\t:])){0,64}`
