import pino from 'pino';

/**
 * Writes events with fields, `log.info({ event: 'server.listening', port })`, as JSON lines to standard error. Standard
 * output is for people.
 */
export function createLog(level: string): pino.Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  // If the terminal is gone or the disk is full, the line is lost and the service goes on.
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
