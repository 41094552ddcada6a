/** Ends a `switch` over a union: the compiler refuses a forgotten member, the runtime names an impossible one. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
