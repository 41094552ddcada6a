/** Whether this is a continuous integration run, where a missing part fails what needs it instead of skipping it. */
export function inCi(): boolean {
  const { CI } = process.env
  return CI === 'true'
}
