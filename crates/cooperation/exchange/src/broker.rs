//! A Redis server as the broker.
//!
//! Redis streams fit: they keep a bounded history, so that whoever joins later learns what was found before, and they
//! need no more of the server than any Debian machine has. A run has two streams, one for lemmas and one for verdicts,
//! and a counter of the processes that have joined; their names hold the name of the run and the fingerprint of the
//! system, so that different problems under one name do not mix. Streams are trimmed, and expire when nobody has
//! written for an hour.

use std::time::Duration;

use redis::streams::StreamReadReply;
use redis::{Client, Connection, ConnectionAddr, IntoConnectionInfo, RedisConnectionInfo, RedisError, Value};
use shem_chc::Fingerprint;

use crate::address::Address;
use crate::link::{Channel, Link, LinkError, Message};

/// The channels, and how many of their messages the server keeps, about.
const CHANNELS: [Channel; 2] = [Channel::Lemmas, Channel::Verdicts];
const KEPT: [usize; 2] = [2_000, 16];

/// How long it keeps them after the last one, in seconds.
const EXPIRY: usize = 3_600;

/// How long a connection or an answer may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The field of a stream's entry that holds the message.
const FIELD: &str = "m";

/// A link through a Redis server. It connects when it is used.
pub struct RedisLink {
    client: Client,
    connection: Option<Connection>,
    /// The streams of lemmas and of verdicts, with the last entry that was read.
    streams: [(String, String); 2],
    /// Where the processes that have joined are counted.
    counter: String,
}

impl RedisLink {
    /// The link of a run about this system.
    pub fn new(address: &Address, about: Fingerprint) -> Result<RedisLink, LinkError> {
        // This fails if a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (host, port) = (address.host.clone(), address.port);
        let target = if address.tls {
            ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
        } else {
            ConnectionAddr::Tcp(host, port)
        };
        let mut settings = RedisConnectionInfo::default();
        let (user, password) = address.credentials();
        if let Some(user) = user {
            settings = settings.set_username(user);
        }
        if let Some(password) = password {
            settings = settings.set_password(password);
        }
        let info =
            target.into_connection_info().map_err(|error| link_error(&error))?.set_redis_settings(settings);
        let client = Client::open(info).map_err(|error| link_error(&error))?;
        let stream = |kind: &str| (format!("shem:{}:{about}:{kind}", address.run), "0".to_owned());
        let (counter, _) = stream("processes");
        let streams = [stream("lemmas"), stream("verdicts")];
        Ok(RedisLink { client, connection: None, streams, counter })
    }

    /// Runs a job with a connection, which is closed if the job fails.
    fn with<T>(
        &mut self,
        job: impl FnOnce(&mut Connection, &mut [(String, String); 2]) -> Result<T, RedisError>,
    ) -> Result<T, LinkError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().map_err(|error| link_error(&error))?,
        };
        let result = job(&mut connection, &mut self.streams).map_err(|error| link_error(&error))?;
        self.connection = Some(connection);
        Ok(result)
    }

    fn connect(&self) -> Result<Connection, RedisError> {
        let connection = self.client.get_connection_with_timeout(TIMEOUT)?;
        connection.set_read_timeout(Some(TIMEOUT))?;
        connection.set_write_timeout(Some(TIMEOUT))?;
        Ok(connection)
    }
}

/// The kind of an error, without the text of the server or the address, where credentials may be.
fn link_error(error: &RedisError) -> LinkError {
    LinkError(error.category().to_owned())
}

impl Link for RedisLink {
    fn number(&mut self) -> Result<u64, LinkError> {
        let key = self.counter.clone();
        self.with(|connection, _| {
            let mut both = redis::pipe();
            both.cmd("INCR").arg(&key).cmd("EXPIRE").arg(&key).arg(EXPIRY).ignore();
            both.query::<(u64,)>(connection)
        })
        .map(|(count,)| count.saturating_sub(1))
    }

    fn send(&mut self, channel: Channel, message: &[u8]) -> Result<(), LinkError> {
        let kept = KEPT[channel as usize];
        self.with(|connection, streams| {
            let key = &streams[channel as usize].0;
            let mut both = redis::pipe();
            both.cmd("XADD").arg(key).arg("MAXLEN").arg("~").arg(kept).arg("*").arg(FIELD).arg(message);
            both.ignore().cmd("EXPIRE").arg(key).arg(EXPIRY).ignore();
            both.query::<()>(connection)
        })
    }

    fn receive(&mut self, most: usize, wait: Duration) -> Result<Vec<Message>, LinkError> {
        self.with(|connection, streams| {
            let mut command = redis::cmd("XREAD");
            command.arg("COUNT").arg(most).arg("BLOCK").arg(wait.as_millis().max(1) as u64);
            command.arg("STREAMS");
            streams.iter().map(|(key, _)| key).chain(streams.iter().map(|(_, last)| last)).for_each(|word| {
                command.arg(word);
            });
            let reply: Option<StreamReadReply> = command.query(connection)?;
            let mut messages = Vec::new();
            for stream in reply.unwrap_or_default().keys {
                let Some(at) = streams.iter().position(|(key, _)| *key == stream.key) else { continue };
                let last = &mut streams[at].1;
                for entry in stream.ids {
                    *last = entry.id;
                    if let Some(Value::BulkString(message)) = entry.map.into_values().next() {
                        messages.push((CHANNELS[at], message));
                    }
                }
            }
            Ok(messages)
        })
    }
}
