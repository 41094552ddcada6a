/** Tools of MCP servers, and what operators say to them. */
export const mcp = {
  asks: ({ server, worker, count }: { server: string; worker: string; count: number }) =>
    count === 1
      ? `The MCP server ${server} (worker ${worker}) has a tool that nobody has approved as it is now:`
      : `The MCP server ${server} (worker ${worker}) has ${count} tools that nobody has approved as they are now:`,
  isNew: ({ name, what }: { name: string; what: string }) => `${name} is new: ${what}`,
  hasChanged: ({ name, how }: { name: string; how: string }) => `${name} has changed: ${how}`,
  changes: {
    description: ({ before, after }: { before: string; after: string }) =>
      `its description, from “${before}” to “${after}”`,
    added: ({ names }: { names: string }) => `it takes ${names} too`,
    removed: ({ names }: { names: string }) => `it no longer takes ${names}`,
    schema: 'the form of its arguments',
    hints: 'what it says of its effects',
    program: 'the program or version behind it',
  },
  more: ({ server, count }: { server: string; count: number }) =>
    `… and ${count} more. /mcp ${server} lists all, /mcp NAME shows one whole; the code below is for all of them.`,
  whole: ({ name }: { name: string }) => `${name}, in the words of its MCP server:`,
  unknown: 'No MCP server or tool of this name is there now. /mcp shows the servers.',
  howToAnswer: ({ server, code }: { server: string; code: string }) =>
    `Until then no model sees them. /mcp approve ${server} ${code} offers them; each call is then judged by your rules. /mcp refuse ${server} ${code} keeps them away.`,
  operatorsOnly: 'Only an operator decides which tools of MCP servers are offered.',
  none: 'No MCP server is configured at this worker. [mcp.NAME] in its configuration adds one.',
  server: ({ server, state, tools }: { server: string; state: string; tools: string }) =>
    `${server}: ${state}${tools === '' ? '' : `; ${tools}`}`,
  up: ({ title }: { title: string }) => (title === '' ? 'reachable' : `reachable (${title})`),
  away: ({ why }: { why: string }) => (why === '' ? 'away' : `away: ${why}`),
  counts: ({
    approved,
    waiting,
    refused,
  }: {
    approved: number
    waiting: number
    refused: number
  }) =>
    [
      `${approved} approved`,
      ...(waiting === 0 ? [] : [`${waiting} waiting`]),
      ...(refused === 0 ? [] : [`${refused} refused`]),
    ].join(', '),
  approved: ({ names }: { names: string }) => `Approved: ${names}.`,
  refused: ({ names }: { names: string }) => `Refused: ${names}. No model sees them.`,
  changed: 'Nothing was decided: other tools wait by now, or none. /mcp shows what there is.',
  usage: 'Usage: /mcp, /mcp NAME, /mcp approve SERVER CODE, /mcp refuse SERVER CODE',
}
