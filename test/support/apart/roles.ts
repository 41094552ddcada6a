import { type Role, roles } from '../../../src/app/processes/check-state.ts'

export { type Role, roles }

const readyWords: Readonly<Record<Role, RegExp>> = {
  gateway: / is ready \(|stands by/,
  agent: /^Agent: ready/m,
  worker: /^Worker ".*": ready/m,
}

/** Whether a process of the role has said, on standard error, that it serves. */
export function hasSaidReady(role: Role, { stderr }: { readonly stderr: string }): boolean {
  return readyWords[role].test(stderr)
}
