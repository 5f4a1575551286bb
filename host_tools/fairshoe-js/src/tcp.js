// Node: a serial server's raw socket, or `fairshoe sim --tcp`.
import { connect } from 'node:net';

/** tcp('10.0.0.7', 4001), for Shoe.open. */
export const tcp = (host, port) => () => new Promise((resolve, reject) => {
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    resolve({
      chunks: socket,                                    // a socket is an async iterable of its bytes
      write: bytes => new Promise((done, failed) => socket.write(bytes, error => error ? failed(error) : done())),
      close: () => new Promise(done => {                 // resolves when the connection is closed: the port is free
        if (socket.closed) return done();
        socket.once('close', () => done());
        return socket.destroy();
      }),
    });
  });
});
