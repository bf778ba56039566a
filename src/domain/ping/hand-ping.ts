const PREFIX = 'Dashboard, by ';

/** The user agent of a ping that a person sends from a page. The log and mails tell the person by it. */
export function agentOfPerson(name: string): string {
  return `${PREFIX}${name}`;
}

/** The user agent of a ping that comes from outside. In quotes if it would pass for that of a person. */
export function agentOfJob(userAgent: string): string {
  return userAgent.startsWith(PREFIX) ? `"${userAgent}"` : userAgent;
}

/** The person who sent the ping from a page. Null for a ping of a job. */
export function personOfAgent(userAgent: string): string | null {
  return userAgent.startsWith(PREFIX) ? userAgent.slice(PREFIX.length) : null;
}
