import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number, plural } = createFormat('es')

export const status: Catalogue['status'] = {
  agentAway: 'Agente: no disponible; tus mensajes se guardan hasta que vuelva',
  toolCalls: ({ used, limit }) => `Llamadas a herramientas: ${used} de ${limit ?? 'sin límite'}`,
  messages: ({ count }) => `Mensajes: ${count}`,
  rulesAllowAll: ({ path }) =>
    `el control está apagado: ${path} permite todo; nada pregunta, ni siquiera los comandos.`,
  ruleProblem: ({ path, line, problem }) =>
    `${path}, línea ${line}: «${problem}». Hasta que se corrija, pregunta cada llamada.`,
  exampleProblem: ({ path, line, problem }) =>
    `${path}, línea ${line}, un ejemplo: «${problem}». Hasta que se cumpla, pregunta todo lo que no está denegado.`,
  warning: ({ warning }) => `Aviso: ${warning}`,
  filters: ({ full, partial, fallback }) =>
    `Filtros de salida (completo/parcial/reserva): ${full}/${partial}/${fallback}`,
  cached: ({ count }) => `Respondidas desde la caché: ${count}`,
  blockedTools: ({ tools }) => `Herramientas bloqueadas: ${tools}`,
  quarantinedTools: ({ tools }) => `Herramientas en cuarentena: ${tools}`,
  turn: ({ state, waits }) => `Turno: ${state}; ${waits}`,
  turnStates: {
    none: 'ninguno',
    queued: 'en cola',
    thinking: 'pensando',
    acting: 'actuando',
    done: 'terminado',
    stopped: 'detenido',
    failed: 'fallido',
  },
  nothingWaits: 'nada espera respuesta',
  waits: ({ numbers }) => `esperan respuesta: ${numbers}`,
  tokens: ({ input, cached, output }) =>
    `Tokens: ${input} de entrada (${cached} en caché), ${output} de salida`,
  rulesDiffer: ({ worker, sides }) =>
    `hay agentes con reglas o configuración distintas para el worker «${worker}»; uno permite lo que otro pregunta o deniega: ${sides}`,
  shareRules:
    'haz que todos los agentes compartan un directorio de datos, y con él un archivo de reglas, o guarda las reglas en la base de datos con [tools] permissions_store; y da a todos el mismo countersign.toml',
  agentRules: ({ id, host, path }) => `agente ${id} en ${host} según ${path}`,
  fingerprint: ({ agents, digits }) => `${agents} (huella ${digits}…)`,
  differingRules: ({ finding, fix }) => `${finding}. Solución: ${fix}.`,

  notAsked: 'Entrada: aún no se ha consultado al modelo',
  prompt: ({ size, model, room }) => `Entrada: ${size} en el último paso, a ${model}; ${room}`,
  bytes: ({ count }) => counted(count, 'byte', 'bytes'),
  tokenCount: ({ count }) => counted(count, 'token', 'tokens'),
  roomUnknown: 'no se conoce el tamaño de contexto del modelo',
  room: ({ from, budget }) =>
    `se hace sitio por encima de ${number(from)} de ${number(budget)} tokens`,
  inFull: ({ turns, messages }) =>
    `Completos: ${counted(turns, 'turno', 'turnos')}, ${counted(messages, 'mensaje', 'mensajes')}`,
  uploadedFiles: ({ count }) =>
    `${counted(count, 'archivo subido', 'archivos subidos')} en esta sesión`,
  leftOut: ({ turns, messages }) =>
    `Omitido: ${counted(turns, 'turno más antiguo', 'turnos más antiguos')} (${counted(messages, 'mensaje', 'mensajes')}); sin resumen`,
  summary: ({ turns, messages, characters }) =>
    `Resumen: ${counted(turns, 'turno más antiguo', 'turnos más antiguos')} (${counted(messages, 'mensaje', 'mensajes')}), ${counted(characters, 'carácter', 'caracteres')}`,
  lastWithoutSummary: 'los últimos de ellos no se pudieron resumir',
  shortened: ({ parts }) => `Acortado para hacer sitio: ${parts}; el modelo puede releerlos`,
  shortenedParts: ({ kind, count }) =>
    `${number(count)} ${
      {
        results: plural(count, 'resultado', 'resultados'),
        arguments: plural(count, 'lista de argumentos', 'listas de argumentos'),
        messages: plural(count, 'mensaje largo', 'mensajes largos'),
        steps: plural(count, 'paso', 'pasos'),
      }[kind]
    }`,
  noTools: 'Herramientas: ninguna',
  tools: ({ count }) => `Herramientas: ${count} elegidas para el último turno`,
}
