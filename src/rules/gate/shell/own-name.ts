/** Whether no program and no part of bash gives a meaning to a variable of this name. */
export function isOwnName(name: string): boolean {
  return /^(?:[a-z][a-z0-9]*|[A-Z])$/.test(name) && name !== 'histchars'
}
