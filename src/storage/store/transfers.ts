import type { Transfer } from '../../domain/people/project.ts';

export interface TransferReads {
  /** The offer of the project. Null if it is offered to nobody. */
  ofProject(projectId: number): Promise<Transfer | null>;
}

export interface TransferWrites extends TransferReads {
  /** Saves the offer in place of an earlier one. */
  save(transfer: Transfer): Promise<void>;
  /** Returns false if there was no offer. */
  remove(projectId: number): Promise<boolean>;
}
