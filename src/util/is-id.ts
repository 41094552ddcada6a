/** Whether text is an id as `newId` makes them; PostgreSQL takes other spellings for the same one, which nobody was given. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
