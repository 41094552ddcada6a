import type { ToolSpec } from './tool-spec.ts'

/** One call of a batch. `spec` is absent for a tool that this program does not know. */
export interface OrderedCall {
  readonly mutating: boolean
  readonly spec: Pick<ToolSpec, 'runsIn' | 'runsPrograms'> | undefined
}

/** `hasNetwork`: commands in the box have network access. */
export interface OrderOptions {
  readonly hasNetwork: boolean
}

/**
 * Resources that calls read and change. Rows read by the agent's tools are not among them: no call of the same batch changes
 * them.
 */
type Shared = 'files' | 'web'

const everything: readonly Shared[] = ['files', 'web']

/**
 * REG-07: whether two calls of a batch must keep the model's order because one may change what the other uses. Calls that only
 * read need no order, nor do a web tool and a call in a box without network.
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
  if (spec.runsIn === 'box')
    return spec.runsPrograms === true && hasNetwork ? everything : ['files']
  // No built-in tool changes anything there; of one that does, the resource is unknown.
  if (mutating) return everything
  return spec.runsIn === 'worker' ? ['web'] : []
}
