/** An attacker's knowledge: the ports of the service, and addresses that exist. */
export interface Target {
  readonly httpPort: number;
  readonly smtpPort: number;
  readonly mailDomain: string;
  /** A read-write key of a project of the attacker's own. */
  readonly key: string;
  /** A check of that project, without filters. */
  readonly check: string;
  /** A check of that project that looks for keywords in subjects and texts of mails. */
  readonly filteringCheck: string;
}

/** One way to harm others. It needs no key unless its name says so. */
export interface Attack {
  /** Completes "under …". */
  readonly name: string;
  /** The size: a little for every test run, and as much as it was found with for a full one. */
  readonly amount: { readonly short: number; readonly full: number };
  /** Settings under which the attack is worst. */
  readonly env?: Readonly<Record<string, string>>;
  /** The service's most memory meanwhile, if these settings let it have more. */
  readonly maxMegabytes?: number;
  /** Resolves when everything has been sent. Connections that it leaves open stay so until the attacker is stopped. */
  run(target: Target, amount: number): Promise<void>;
}
