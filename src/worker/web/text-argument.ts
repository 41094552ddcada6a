/** An argument that its schema has checked; empty where it is missing. */
export function textArgument(args: Readonly<Record<string, unknown>>, name: string): string {
  const value = args[name]
  return typeof value === 'string' ? value : ''
}
