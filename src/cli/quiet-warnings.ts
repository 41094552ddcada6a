/** Node tells each person that type stripping is experimental; other warnings of Node go to standard error in one line. */
export function quietWarnings(): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') process.stderr.write(`warning: ${name}: ${message}\n`)
  })
}
