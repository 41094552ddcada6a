/** What comes within so many milliseconds of the first is the same wish: a terminal tells its whole group, and npm tells it again. */
const sameWishMs = 300

/**
 * PROC-03: fires at the first SIGTERM, SIGHUP or SIGINT, which asks the process to drain; a second one ends it at once.
 * `onFirst` is called with it.
 */
export function endSignal(onFirst: () => void = () => undefined): AbortSignal {
  const controller = new AbortController()
  let askedAt = 0
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        askedAt = performance.now()
        controller.abort(new Error(`asked to end by ${name}`))
        onFirst()
      } else if (performance.now() - askedAt > sameWishMs) process.exit(1)
    })
  }
  return controller.signal
}
