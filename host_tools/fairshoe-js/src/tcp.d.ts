import type { Connect } from './shoe.js';

export declare function tcp(host: string, port: number): Connect;
