import type { ChannelState } from './channels.ts'
import type { World } from './world.ts'

/** Shows a status in a thread; an empty one ends what is shown, and is nothing where nothing is. */
export function showStatus(
  world: World,
  state: ChannelState,
  given: {
    readonly threadTs: string
    readonly status: string
    readonly loadingMessages?: readonly string[]
  },
): void {
  if (given.status === '' && statusOf(world, state, given.threadTs) === '') return
  state.statuses.push({ loadingMessages: [], ...given, at: world.now() })
  world.changed()
}

/** What a thread shows now; empty: nothing. */
export function statusOf(world: World, state: ChannelState, threadTs: string): string {
  const last = state.statuses.findLast((entry) => entry.threadTs === threadTs)
  if (last === undefined || world.now() - last.at > world.limits.statusMs) return ''
  return last.status
}
