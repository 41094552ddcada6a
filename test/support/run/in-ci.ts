/** Whether this is a continuous integration run, where a missing part fails what needs it instead of skipping it. */
export function inCi({ CI }: NodeJS.ProcessEnv = process.env): boolean {
  return CI === 'true'
}
