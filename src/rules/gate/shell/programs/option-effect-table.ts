import type { EffectKind } from '../../../../domain/effect.ts'

/** An effect that some options or subcommands of programs have. */
export interface OptionEffect {
  readonly program: RegExp
  /** Tried on the words after the program, with a blank around each. */
  readonly words: RegExp
  readonly kind: EffectKind
  /** Words with which the entry does not count, such as those of a dry run. */
  readonly unless?: RegExp
}

const packageManagers =
  /^(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|cargo|gem|apt|apt-get|dnf|yum|apk|brew|snap|flatpak|zypper|conda|mamba)$/
const clouds =
  /^(?:terraform|tofu|pulumi|aws|gcloud|az|gsutil|doctl|hcloud|linode-cli|oci|ibmcloud|eksctl|cdk|serverless|sls|sam|fly|flyctl|heroku|vercel|netlify|wrangler|firebase|railway|supabase)$/
const deployers =
  /^(?:vercel|netlify|wrangler|firebase|fly|flyctl|railway|serverless|sls|sam|heroku)$/
const containers = /^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/
const clusters = /^(?:kubectl|oc|helm|argocd|flux|nomad)$/
const machines = /^(?:virsh|vboxmanage|multipass|vagrant|limactl|lxc|incus|qm|pct)$/i
const stores =
  /^(?:rclone|mc|s3cmd|s5cmd|b2|restic|borg|etcdctl|consul|vault|kafka-\w+(?:\.sh)?|rabbitmqctl|rabbitmqadmin|gh|glab|hub|skopeo|crane|op|stripe|twilio|http|https|xh)$/
const scripts =
  /^(?:python[\d.]*|php|ruby|rails|rake|bundle|artisan|node|npx|pnpx|bunx|npm|pnpm|yarn|bun|prisma|knex|sequelize|sequelize-cli|typeorm|django-admin|mix)$/
const migrators = /^(?:alembic|flask|flyway|liquibase|dbmate|goose|migrate|diesel|sqlx|atlas)$/
const services = /^(?:systemctl|service|rc-service|launchctl|supervisorctl|pm2|sv|initctl)$/
const publishers =
  /^(?:npm|pnpm|yarn|bun|cargo|poetry|uv|flit|pdm|hatch|dart|mvn|sbt|vsce|ovsx|lerna|changeset)$/

/**
 * The first entry that matches counts, so what destroys stands before what changes. `unless` is tied to the first words: a word
 * further on, such as a value named like a dry run, must not hide an effect. No form may take more than linear time: `.*` only
 * follows the start.
 */
export const optionEffects: readonly OptionEffect[] = [
  { program: /^find$/, words: / -delete /, kind: 'deletes' },
  { program: /^rsync$/, words: / --(?:del|delete\S*|remove-source-files) /, kind: 'deletes' },
  { program: /^git$/, words: /^ (?:clean|rm|worktree remove) /, kind: 'deletes' },
  {
    program: /^git$/,
    words:
      /^ (?:reset .*--(?:hard|merge) |restore |checkout .*(?:-f|--force|--|\.) |switch .*(?:-f|--force|--discard-changes) |stash (?:drop|clear) |branch .*(?:-D|-d|--delete) |tag .*(?:-d|--delete) |reflog expire |update-ref .*-d )/,
    kind: 'discards',
  },
  {
    program: /^git$/,
    words: /^ push (?:.* )?(?:-[a-zA-Z]*f|--force\S*|--mirror|--prune|\+\S+) /,
    kind: 'overwrites_history',
  },
  { program: /^git$/, words: /^ push (?:.* )?(?:--delete|-d|:\S+) /, kind: 'deletes_remote' },
  {
    program: /^git$/,
    words: /^ (?:commit .*--amend|rebase|filter-branch|filter-repo) /,
    kind: 'rewrites_commits',
    unless: /^ rebase --(?:abort|quit|show-current-patch) /,
  },
  { program: /^(?:npm|pnpm|yarn)$/, words: / unpublish /, kind: 'deletes_remote' },
  { program: /^(?:cargo|gem)$/, words: / yank /, kind: 'deletes_remote' },
  {
    program: packageManagers,
    words: / (?:un|rm|r|del|delete|erase|remove|uninstall|autoremove|purge) /,
    kind: 'removes_packages',
  },
  { program: /^pacman$/, words: / (?:-R\w*|--remove) /, kind: 'removes_packages' },
  { program: /^dpkg$/, words: / (?:-r|-P|--remove|--purge) /, kind: 'removes_packages' },
  {
    program: containers,
    words: / (?:rm|rmi|prune|remove|system reset|swarm leave) /,
    kind: 'deletes_containers',
  },
  {
    program: containers,
    words: /^(?=.* down ).* (?:-v|--volumes|--rmi\S*) /,
    kind: 'deletes_containers',
  },
  { program: containers, words: / (?:stop|kill|restart|pause|down) /, kind: 'stops_programs' },
  { program: containers, words: / push /, kind: 'publishes' },
  { program: clusters, words: / (?:delete|uninstall|un|del|prune) /, kind: 'deletes_cluster' },
  {
    program: clusters,
    words:
      / (?:apply|create|replace|patch|edit|scale|autoscale|rollout (?:restart|undo|pause|resume)|set|label|annotate|cordon|uncordon|drain|taint|expose|upgrade|install|rollback|sync|job run|run|cp) /,
    kind: 'changes_cluster',
    unless: /^ (?:repo|template|completion|config|create) /,
  },
  {
    program: clouds,
    words:
      / (?:rm|rb|del|delete|delete-\S+|terminate-\S+|deregister-\S+|destroy|\S+:destroy|remove|purge) /,
    kind: 'deletes_resources',
  },
  {
    program: /^aws$/,
    words: /^(?=.* s3 sync ).* --delete /,
    kind: 'deletes_resources',
  },
  { program: /^gsutil$/, words: /^(?=.* rsync ).* -d /, kind: 'deletes_resources' },
  {
    program: deployers,
    words: / (?:deploy|publish|up|promote|--prod|container:release) /,
    kind: 'publishes',
  },
  {
    program: /^(?:terraform|tofu)$/,
    words: / (?:apply|import|state (?:rm|mv|push)|taint|untaint|force-unlock) /,
    kind: 'changes_resources',
  },
  {
    program: /^(?:pulumi|cdk)$/,
    words: / (?:up|update|deploy|import) /,
    kind: 'changes_resources',
  },
  {
    program: clouds,
    words:
      / (?:(?:create|update|put|modify|set|attach|detach|start|stop|reboot|restart|restore|run|invoke|add|enable|disable|associate|authorize|revoke|register|scale|deploy|import|publish|send|tag|untag)(?:-\S+)?|cp|mv|mb|sync|up|\S+:(?:set|add|create|scale|restart)) /,
    kind: 'changes_resources',
  },
  {
    program: stores,
    words:
      / (?:delete|deletefile|purge|rm|rb|del|destroy|remove|forget|prune|erase|DELETE|--delete|delete_\S+|purge_\S+|delete-\S+|\S+:(?:remove|delete)) /,
    kind: 'deletes_remote',
  },
  { program: /^rclone$/, words: / (?:sync|move|bisync) /, kind: 'deletes_remote' },
  { program: /^(?:gh|glab)$/, words: / release (?:create|upload) /, kind: 'publishes' },
  {
    program: /^(?:gh|glab)$/,
    words:
      / (?:create|merge|close|reopen|comment|edit|review|approve|ready|lock|transfer|archive|rename|set|run|rerun|cancel|(?:-X|--method)[ =](?!GET )\S+|-f|-F|--field|--raw-field|--input) /,
    kind: 'changes_remote',
    unless: /^ \S+ (?:list|view|status|diff|checks|watch) /,
  },
  {
    program: stores,
    words:
      / (?:copy|copyto|cp|put|write|create|charges|PUT|POST|PATCH|set_\S+|declare|\S+:(?:create|update)) /,
    kind: 'changes_remote',
  },
  {
    program: publishers,
    words: / (?:publish|deprecate|dist-tag|deploy) /,
    kind: 'publishes',
    unless: /^ (?:run|exec|x|dlx) /,
  },
  { program: /^gem$/, words: / push /, kind: 'publishes' },
  { program: /^twine$/, words: / upload /, kind: 'publishes' },
  {
    program: scripts,
    words:
      / (?:\S*manage\.py (?:flush|reset_db)|\S*db:(?:drop|reset|purge|schema:load|wipe|fresh)\S*|migrate:(?:fresh|reset|refresh)|migrate reset|ecto\.(?:drop|reset)|schema:drop) /,
    kind: 'deletes_data',
  },
  {
    program: scripts,
    words: /^(?=.* db push ).* --(?:force-reset|accept-data-loss) /,
    kind: 'deletes_data',
  },
  {
    program: scripts,
    words:
      / (?:\S*manage\.py (?:migrate|loaddata)|\S*db:(?:migrate|rollback|seed|setup)\S*|migrate(?::\S+)?|migration:run|ecto\.(?:migrate|rollback)|db push) /,
    kind: 'changes_data',
    unless: /^ (?:install|i|ci|add|run) /,
  },
  {
    program: migrators,
    words: / (?:clean|drop|drop-all|dropAll|drop-all-sql|reset|database (?:drop|reset)) /,
    kind: 'deletes_data',
  },
  {
    program: migrators,
    words: / (?:upgrade|downgrade|update|up|down|migrate|migration run|redo|apply|rollback\S*) /,
    kind: 'changes_data',
  },
  {
    program: services,
    words: / (?:stop|restart|kill|reload|try-restart|unload|bootout|down|delete) /,
    kind: 'stops_programs',
  },
  {
    program: services,
    words: / (?:enable|disable|mask|unmask|set-default|set-property|edit|load|bootstrap) /,
    kind: 'changes_system',
  },
  { program: /^fuser$/, words: / (?:-[a-zA-Z]*k[a-zA-Z]*|--kill) /, kind: 'stops_programs' },
  { program: /^tmux$/, words: / kill-\S+ /, kind: 'stops_programs' },
  {
    program: machines,
    words: / (?:destroy|undefine|delete|unregistervm|purge|rm) /,
    kind: 'deletes_containers',
  },
  {
    program: /^(?:zfs|zpool|btrfs)$/,
    words: / (?:destroy|delete|rollback|remove|labelclear|create) /,
    kind: 'changes_disks',
  },
  {
    program: /^(?:lv|vg|pv)(?:remove|reduce|create|resize|change)$/,
    words: / /,
    kind: 'changes_disks',
  },
  {
    program:
      /^(?:useradd|usermod|groupadd|groupmod|passwd|chpasswd|adduser|deluser|delgroup|gpasswd|chage)$/,
    words: / /,
    kind: 'changes_users',
    unless: /^ (?:-S|--status|-l|--list) /,
  },
  {
    program: /^(?:iptables|ip6tables)$/,
    words:
      / (?:-[AFDIPXNRZE]|--(?:append|flush|delete\S*|insert|policy|new-chain|replace|zero|rename-chain)) /,
    kind: 'changes_system',
  },
  {
    program: /^(?:nft|ip|firewall-cmd|sysctl|ufw|nmcli)$/,
    words:
      / (?:add|del|delete|flush|set|replace|change|insert|reset|destroy|modify|up|down|allow|deny|reject|limit|enable|disable|reload|-f|-w|--write|--system|-p\S*|--(?:add|remove|set|permanent|reload|panic|runtime)\S*|[\w./-]+=\S*) /,
    kind: 'changes_system',
  },
  {
    program:
      /^(?:setenforce|modprobe|rmmod|insmod|update-alternatives|swapoff|swapon|hostnamectl|timedatectl)$/,
    words: / \S/,
    kind: 'changes_system',
    unless: /^ (?:status|show|--list|--display|--show) /,
  },
  { program: /^chmod$/, words: / /, kind: 'changes_access', unless: /^ [ua]?\+x / },
  { program: /^(?:setfacl|setcap|chcon)$/, words: / /, kind: 'changes_access' },
  { program: /^crontab$/, words: / /, kind: 'schedules', unless: /^ -l $/ },
  { program: /^(?:at|batch)$/, words: / /, kind: 'schedules', unless: /^ -[lc] / },
  {
    program: /^(?:mail|mailx|s-nail|mutt|neomutt|sendmail|msmtp|swaks|ssmtp)$/,
    words: /@/,
    kind: 'sends',
  },
  {
    program: /^curl$/,
    words: / (?:-[a-zA-Z]*X ?DELETE|--request[ =]DELETE) /,
    kind: 'deletes_remote',
  },
  {
    program: /^curl$/,
    words:
      / (?:-[a-zA-Z]*[dFT]\S*|--(?:data|json|form|upload-file)\S*|-[a-zA-Z]*X ?(?:POST|PUT|PATCH)|--request[ =](?:POST|PUT|PATCH)) /,
    kind: 'sends',
  },
  {
    program: /^wget$/,
    words: / --(?:post-\S+|body-\S+|method[ =](?:POST|PUT|PATCH|DELETE)) /,
    kind: 'sends',
  },
  { program: /^(?:scp|rsync)$/, words: / (?:[\w.@-]{2,}::?|rsync:\/\/)\S* $/, kind: 'sends' },
  {
    program: /^(?:ansible-playbook|ansible|salt|puppet|chef-client|cap|fab|kamal)$/,
    words: / \S/,
    kind: 'changes_remote',
    unless: /^ --(?:version|help|syntax-check) /,
  },
]
