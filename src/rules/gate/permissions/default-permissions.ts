/** GATE-05: the content of a worker's `permissions.jsonc` until it is edited. */
export const defaultPermissions = `// What this worker's tools may do without asking. Read again at every call: no restart needed.
//
//   "tool": "action"                 the same for every call of the tool
//   "tool": { "pattern": "action" }  by path, command, URL or name
//   "*": "action"                    every tool that is not named
//
// Actions: "allow" runs silently, "ask" needs a person, "deny" refuses and asks nobody.
// The LAST rule that matches wins, so put the general ones first. No match asks.
// Paths: * and ** match any text, ? one character, {a,b} either; relative ones start at the workspace, ~/ is its home.
// Commands, URLs and names: * matches any text, ? one character, \\\\ takes the next character as it is.
// Rules under "// granted ..." were added by Always; they turn ask into allow, never deny into allow.
// { "*": "allow" } alone switches the gate off: then nothing asks any more.
{
  "*": "ask",
  "read": {
    "*": "allow",
    // Secrets are not read, wherever they lie.
    "*.env": "deny",
    "*.env.*": "deny",
    "*credentials*": "deny",
    "*secret*": "deny",
    "*.pem": "deny",
    "*.key": "deny",
    "*id_rsa*": "deny",
    "*id_ed25519*": "deny",
    "*.p12": "deny",
    "*.kdbx": "deny",
    "*.env.example": "allow"
  },
  "write": { "*": "allow", "*.env": "deny", "*.env.*": "deny" },
  "edit": { "*": "allow", "*.env": "deny", "*.env.*": "deny" },
  "find_path": "allow",
  "grep": "allow",
  "list_directory": "allow",
  "delete_path": "ask",
  "move_path": "ask",
  "copy_path": "ask",
  // These read this session's own rows and nothing else.
  "read_overflow": "allow",
  "tool_search": "allow",
  "memory_search": "allow",
  "skill": "ask",
  // Examples: "git status": "allow", "npm test *": "allow", "rm *": "deny"
  "bash": "ask"
}
`
