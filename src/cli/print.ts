/** Writes to standard output; resolves when it is written, rejects when nobody reads it any more (`EPIPE`). */
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
