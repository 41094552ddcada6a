/** For what has come already to be read, in milliseconds. */
const graceMs = 50

/**
 * A signal that fires after so many milliseconds, as `AbortSignal.timeout` does, but never before what came meanwhile could
 * be read: a process that stood still finds its timers due before it has looked at its connections, and would take an answer
 * that lies there for none.
 */
export function patientTimeout(timeMs: number): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('no time left', 'TimeoutError'))
  setTimeout(() => setTimeout(abort, graceMs).unref(), timeMs).unref()
  return controller.signal
}
