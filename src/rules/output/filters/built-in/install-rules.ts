import type { FilterRule } from '../filter-rule.ts'
import { launched } from './command-patterns.ts'

/** Rules for package managers. */
export const installRules: readonly FilterRule[] = [
  {
    name: 'npm-install',
    match: {
      regex: String.raw`^(?:npm|yarn|pnpm|bun)(?: -\S+)*(?: (?:install|i|ci|add|update|up|upgrade|remove|rm|uninstall|dedupe|prune)(?: |$)|$)`,
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        '^npm (?:warn|WARN) deprecated ',
        '^npm (?:notice|http|sill|verb|timing|info)(?: |$)',
        '^npm (?:warn|WARN) (?:EBADENGINE|skipping|optional|tarball|config|using|exec)(?: |$)',
        String.raw`^\d{1,6} packages? (?:is|are) looking for funding$`,
        '^ {2}run .npm fund. for details$',
        '^(?:Progress: resolved |Packages are hard linked|Packages are copied| *(?:Content-addressable|Virtual) store is at|Lockfile is up to date|Already up to date|Resolving: total|Scope: all )',
        String.raw`^ *WARN +(?:deprecated |\d{1,6} deprecated subdependencies found)`,
        String.raw`^\++$`,
        String.raw`^\[\d/\d\] `,
        '^(?:yarn install v|yarn add v|info (?:Direct dependencies|All dependencies|No lockfile found|Visit ))',
        String.raw`^(?:➤|\S) YN0000: (?:[┌└]|· Yarn \d)`,
        '^➤ YN(?:0019|0085): ',
        '^➤ YN0013: .*will be fetched',
        '^[├└]─ ',
      ],
    },
  },
  {
    name: 'pip-install',
    match: {
      regex: launched(
        String.raw`(?:pip|pip3|pip3\.\d{1,2}|uv pip|uv) (?:install|download|wheel|sync|add|uninstall)`,
      ),
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        '^(?:Requirement already satisfied:|Looking in indexes:|Looking in links:|Found existing installation:|Created temporary directory:|Removed build tracker:) ?',
        '^ {2,6}(?:Downloading|Using cached|Obtaining dependency information|Preparing metadata|Installing build dependencies|Getting requirements to build|Checking if build backend|Created wheel for|Stored in directory|Found existing installation|Successfully uninstalled|Link requires|Resolved )',
        '^ {2,}[━─╸╺]{2}',
        String.raw`^\[notice\]|^WARNING: (?:Running pip as the 'root' user|You are using pip version|There was an error checking the latest version of pip)`,
        String.raw`^(?:Resolved|Prepared|Audited|Uninstalled|Downloading) \S`,
        String.raw`^ [+~] \S`,
      ],
      steps: [
        String.raw`^(?:Collecting|Obtaining|Processing|Building) \S`,
        '^ {2,6}(?:Building wheel for|Attempting uninstall:|Uninstalling) ',
        '^(?:Building wheels for|Installing) collected packages: ',
      ],
    },
  },
  {
    name: 'brew',
    match: {
      regex: '^brew (?:install|reinstall|upgrade|update|uninstall|fetch|cleanup|bundle)(?: |$)',
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        '^==> (?:Auto-updating|Updating Homebrew|Downloaded|Running .brew cleanup|Installing dependencies for|Auto-updated|Verifying|Moving|Linking|Tapping|Cleanup)',
        String.raw`^(?:Already downloaded|Disable this behaviour|Hide these hints|Removing|Updated \d{1,4} taps?|==> (?:New|Updated|Deleted) (?:Formulae|Casks))`,
        String.raw`^##[#=O -]*(?:\d{1,3}\.\d%)?$`,
      ],
      steps: ['^==> (?:Downloading|Fetching|Pouring|Installing) '],
    },
  },
]
