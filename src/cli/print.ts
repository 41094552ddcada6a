/** Writes to standard output; rejects if it was closed (`EPIPE`). */
export function print(text: string): Promise<void> {
  return write(process.stdout, text)
}

/** Writes to standard error. */
export function printError(text: string): Promise<void> {
  return write(process.stderr, text)
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
