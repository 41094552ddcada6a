/** Whether this is a continuous integration run, where a missing part fails what needs it instead of skipping it. */
export function inCi(): boolean {
  // biome-ignore lint/style/noProcessEnv: only the environment tells
  const { CI } = process.env
  return CI === 'true'
}
