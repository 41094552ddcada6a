import { findProgram } from '../find-program.ts'

/** What ripgrep may hold, in KiB: a line without an end would take as much as the file has. */
const maxKib = 512 * 1024

/** A command line that runs `program` within bounds of memory, where there is a shell to set them. */
export async function boundedProgram(program: string, path: string): Promise<readonly string[]> {
  const bash = await findProgram('bash', path)
  if (bash === undefined) return [program]
  return [bash, '-c', `ulimit -c 0; ulimit -d ${maxKib}; exec "$0" "$@"`, program]
}
