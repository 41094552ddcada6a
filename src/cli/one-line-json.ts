/** Formats a value as one line of JSON without terminal control characters and without a line end. */
export function oneLineJson(value: unknown): string {
  return JSON.stringify(value).replace(hidden, toEscape)
}

/** Characters that JSON leaves unescaped and a terminal does not show. */
const hidden = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
