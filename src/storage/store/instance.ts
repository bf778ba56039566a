export interface InstanceReads {
  /** How much the database takes on its disk. */
  databaseBytes(): Promise<number>;
  get(key: string): Promise<string | null>;
}

export interface InstanceWrites extends InstanceReads {
  /** Sets the value unless there is one. Returns the value that is stored now. */
  setOnce(key: string, value: string): Promise<string>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}
