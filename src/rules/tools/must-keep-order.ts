import type { ToolSpec } from './tool-spec.ts'

/** One call of a batch. `spec` is absent for a tool that this process does not know. */
export interface OrderedCall {
  readonly mutating: boolean
  readonly spec: Pick<ToolSpec, 'runsIn' | 'executes'> | undefined
}

/** `hasNetwork`: commands in the box get a network. */
export interface OrderOptions {
  readonly hasNetwork: boolean
}

/** What calls read and change. The rows that tools of the agent's side read are changed by no call of the same batch. */
type Shared = 'files' | 'web'

const everything: readonly Shared[] = ['files', 'web']

/**
 * REG-07: whether two calls of one batch must run in the order in which the model asked for them, because one of them may change
 * what the other reads or changes. Calls that only read never must; a web tool and a call in a box without network never must.
 */
export function mustKeepOrder(a: OrderedCall, b: OrderedCall, options: OrderOptions): boolean {
  if (!a.mutating && !b.mutating) return false
  const touched = touchedBy(a, options)
  return touchedBy(b, options).some((shared) => touched.includes(shared))
}

function touchedBy(
  { mutating, spec }: OrderedCall,
  { hasNetwork }: OrderOptions,
): readonly Shared[] {
  if (spec === undefined) return everything
  if (spec.runsIn === 'box') return spec.executes === true && hasNetwork ? everything : ['files']
  // No built-in tool changes anything from there: of one that does, it is not known what.
  if (mutating) return everything
  return spec.runsIn === 'worker' ? ['web'] : []
}
