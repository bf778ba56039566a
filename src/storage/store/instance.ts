export interface InstanceReads {
  get(key: string): Promise<string | null>;
}

export interface InstanceWrites extends InstanceReads {
  /** Sets the value unless there is one; returns the one that holds now. */
  setOnce(key: string, value: string): Promise<string>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}
