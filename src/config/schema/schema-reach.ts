import { z } from 'zod'
import { duration, hostPath, integer, text, textLike, url } from '../key-types.ts'

const variable = () => textLike(/^[A-Za-z_]\w*$/u, 'the name of an environment variable')

/** Programs that fetch a server when it starts: nobody has seen what will run. */
const fetches = /(?:^|\/)(?:npx|npm|pnpm|yarn|bunx?|uvx?|pipx|deno|docker|podman)$/u
const installFirst =
  'fetches a program when it starts, which the box has no network for: install a version, and name its program here, as in `node` with the path of its script'

const mcpServer = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether the server is used.'),
    command: text()
      .optional()
      .describe(
        'Program of a server over stdio, which runs in a box of its own. `node` is the Node of the box; any other is found in the box, so on the machine below `/usr`.',
      ),
    args: z.array(z.string()).default([]).describe('Arguments of the command.'),
    url: url('http', 'https').optional().describe('Address of a server over HTTP.'),
    environment: z
      .array(variable())
      .default([])
      .describe(
        'Environment variables of the worker to pass to the server; their values are secrets.',
      ),
    token_variable: variable()
      .optional()
      .describe('Environment variable with the HTTP bearer token.'),
    read: z
      .array(hostPath())
      .default([])
      .describe('Paths that a server over stdio may read, such as the folder of its package.'),
    write: z
      .array(hostPath())
      .default([])
      .describe('Paths that a server over stdio may read and change.'),
    hosts: z
      .array(text())
      .default([])
      .describe(
        'Hosts that a server over stdio may reach, through a proxy: `api.example.com`, `*.example.com`, `host:port`. Without any it has no network.',
      ),
    network: z
      .boolean()
      .default(false)
      .describe('Has no effect: name the hosts that a server may reach.'),
    timeout: duration(0.1, 3_600).prefault(30).describe('Time limit for one call.'),
  })
  .superRefine((server, context) => {
    if ((server.command === undefined) === (server.url === undefined))
      context.addIssue({ code: 'custom', message: 'needs either `command` or `url`' })
    if (server.command !== undefined && fetches.test(server.command))
      context.addIssue({ code: 'custom', path: ['command'], message: installFirst })
  })

export const mcpSection = z
  .record(textLike(/^[A-Za-z0-9_-]{1,32}$/u, 'at most 32 letters, digits, `-` and `_`'), mcpServer)
  .default({})
  .describe(
    'Servers of the Model Context Protocol, by a name of your own. Their tools are offered once an operator has approved them.',
  )

export const schedulerSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Offers the tools that make schedules, and fires them. Not there yet.'),
    max_tasks: integer(1, 10_000).default(50).describe('Schedules that one caller may have.'),
  })
  .prefault({})
  .describe('Schedules. Not there yet: start warns where they are switched on.')

export const memorySection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Offers the tools that remember. Not there yet.'),
    scope: z.enum(['caller', 'conversation']).default('caller').describe('Scope of a memory.'),
  })
  .prefault({})
  .describe('Memory. Not there yet: start warns where it is switched on.')

export const agentsSection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Offers subagents. Not there yet.'),
    folders: z.array(hostPath()).default([]).describe('Folders that hold agent `.md` files.'),
    timeout: duration(1, 86_400).prefault('5m').describe('Time limit of a subagent.'),
  })
  .prefault({})
  .describe('Subagents. Not there yet: start warns where they are switched on.')

export const indexSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Keeps an index of code for `search_code`. Not there yet.'),
    vector_backend: z
      .enum(['none', 'postgres', 'qdrant'])
      .default('none')
      .describe('Store of vectors; `none`: no semantic search.'),
  })
  .prefault({})
  .describe('Code search. Not there yet: start warns where it is switched on.')
