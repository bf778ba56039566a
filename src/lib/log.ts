import pino from 'pino';

/**
 * Events with fields, `log.info({ event: 'server.listening', port })`, one for each fact; as JSON lines on
 * standard error, since standard output is for people.
 */
export function createLog(level: string): pino.Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  // A line is lost where the terminal is gone or the disk is full. The service is not.
  destination.on('error', () => undefined);
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
