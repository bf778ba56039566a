import type { CounterName, MessageCount } from '../../domain/alert/message-quota.ts';

export interface MessageCountReads {
  /** What the account has used, of each counter that it has. */
  ofAccount(accountId: number): Promise<(MessageCount & { readonly counter: CounterName })[]>;
}

export interface MessageCountWrites extends MessageCountReads {
  /** What the account has used, locked until the transaction ends. If there is no row yet, it is created from `fresh`. */
  lock(accountId: number, counter: CounterName, fresh: MessageCount): Promise<MessageCount>;
  save(accountId: number, counter: CounterName, count: MessageCount): Promise<void>;
  /** The same for all accounts together. */
  lockInstance(counter: CounterName, fresh: MessageCount): Promise<MessageCount>;
  saveInstance(counter: CounterName, count: MessageCount): Promise<void>;
}
