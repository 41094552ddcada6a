/** A person or the system asked the program to stop. */
export class Interrupted extends Error {
  override name = 'Interrupted'
}

/**
 * Returns a signal that aborts at the first Ctrl-C, SIGTERM or SIGHUP, so that work stops cleanly; a second one ends the
 * process at once.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  const stop = (): void => {
    for (const name of names) process.removeListener(name, stop)
    controller.abort(new Interrupted('interrupted'))
  }
  for (const name of names) process.once(name, stop)
  return controller.signal
}

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
