/** Files and connections that this process may have open at once; infinite where the system does not say. */
export function openFileLimit(): number {
  // Or it would ask the network for the names of all peers.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const limit = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
}

/** Kept free for the database, mail and messages that are sent. */
const RESERVED_FILES = 500;

/** How many connections can be accepted where so many files may be open: at least half of them. */
export function connectionsWithin(openFiles: number, wanted: number): number {
  return Math.min(wanted, Math.max(openFiles - RESERVED_FILES, Math.floor(openFiles / 2)));
}
