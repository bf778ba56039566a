/** The number of files and connections that this process may have open. Infinite if the system does not say. */
export function openFileLimit(): number {
  // Otherwise the report looks up the names of all peers in the network.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const limit = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
}

/** Files kept free for the database and for outgoing messages. */
const RESERVED_FILES = 500;

/** The number of connections to accept, given the limit of open files. Connections may always use half of the files. */
export function connectionsWithin(openFiles: number, wanted: number): number {
  return Math.min(wanted, Math.max(openFiles - RESERVED_FILES, Math.floor(openFiles / 2)));
}
