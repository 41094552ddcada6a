/**
 * PROC-03: fires at the first SIGTERM, SIGHUP or SIGINT, which asks the process to drain; a second one ends it at once.
 * `onFirst` is called with it.
 */
export function endSignal(onFirst: () => void = () => undefined): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(1)
      controller.abort(new Error(`asked to end by ${name}`))
      onFirst()
    })
  }
  return controller.signal
}
